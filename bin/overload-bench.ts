#!/usr/bin/env node
import process from "node:process";
import { main } from "../src/cli/main.ts";
import { processHost } from "../src/cli/process-host.ts";

process.exitCode = await main(processHost());
