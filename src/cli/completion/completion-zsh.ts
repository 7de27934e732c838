import type { CompletedCommand, CompletedFlag, CompletedValue, CompletionModel } from "./completion-model.ts";

/** The script for zsh, to be found by its `fpath` or to be evaluated after `compinit`. */
export function zshCompletion({ program, defaultCommand, commands }: CompletionModel): string {
  const names = commands.map(({ name }) => name);
  return `#compdef ${program}
# Completion of ${program} for zsh: eval "$(${program} completion zsh)" after compinit

_overload_bench() {
  local command=${defaultCommand}
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
    local -a subcommands=(
${commands.map(({ name, description }) => `      ${quoted(`${name}:${description}`)}`).join("\n")}
    )
    _describe -t commands command subcommands
    return
  fi
  case $words[2] in
    ${names.join("|")})
      command=$words[2]
      shift words
      ((CURRENT -= 1))
      ;;
  esac
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}

if [[ $funcstack[1] == _overload_bench ]]; then
  _overload_bench "$@"
else
  compdef _overload_bench ${program}
fi
`;
}

function commandCase({ name, flags, argument }: CompletedCommand): string {
  const specs = flags.flatMap(flagSpecs);
  if (argument !== undefined) specs.push(`'*:argument:${actionOf(argument)}'`);
  return `    ${name})
      _arguments ${specs.map((spec) => `\\\n        ${spec}`).join(" ")}
      ;;`;
}

function flagSpecs({ long, short, description, value, valueIsOptional }: CompletedFlag): readonly string[] {
  const text = `[${description.replace(/[[\]\\:]/gu, "\\$&")}]`;
  const action = value === undefined ? "" : `${valueIsOptional ? "::" : ":"}value:${actionOf(value)}`;
  return [long, short].flatMap((name) => (name === undefined ? [] : [quoted(`*${name}${text}${action}`)]));
}

function actionOf(value: CompletedValue): string {
  switch (value.kind) {
    case "words":
    case "wordsOrFile":
      return `(${value.words.join(" ")})`;
    case "file":
      return "_files";
    case "text":
      return " ";
    default:
      return value satisfies never;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
