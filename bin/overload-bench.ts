#!/usr/bin/env node
import process from "node:process";
import { start } from "../src/cli/start.ts";

process.exitCode = await start();
