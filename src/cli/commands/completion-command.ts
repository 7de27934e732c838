/** `completion`: scripts for shells, made from the program's own commands and flags. */

import { Argument, type Command } from "commander";
import { bashCompletion } from "../completion/completion-bash.ts";
import { fishCompletion } from "../completion/completion-fish.ts";
import { type CompletionModel, completionModel } from "../completion/completion-model.ts";
import { zshCompletion } from "../completion/completion-zsh.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Host } from "../host.ts";

type Shell = "bash" | "zsh" | "fish";

const SCRIPTS: Readonly<Record<Shell, (model: CompletionModel) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

const INSTALL = `
To have it in every shell, put this line into the file:
  bash  ~/.bashrc                    eval "$(overload-bench completion bash)"
  zsh   ~/.zshrc, after compinit     eval "$(overload-bench completion zsh)"
  fish  ~/.config/fish/config.fish   overload-bench completion fish | source`;

/** @param finish takes the exit code of the command that ran. */
export function addCompletionCommand(program: Command, host: Host, finish: (code: ExitCode) => void): void {
  program
    .command("completion")
    .description("print the script with which a shell completes commands, flags, policies and files")
    .addArgument(new Argument("<shell>", "whose").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", INSTALL)
    .action((shell: Shell) => {
      host.stdout.write(SCRIPTS[shell](completionModel(program, "run")));
      finish(EXIT.ok);
    });
}
