import type { CompletedCommand, CompletedFlag, CompletedValue, CompletionModel } from "./completion-model.ts";

/** The script for bash, also for that of macOS (3.2). */
export function bashCompletion({ program, defaultCommand, commands }: CompletionModel): string {
  const names = commands.map(({ name }) => name);
  return `# Completion of ${program} for bash: eval "$(${program} completion bash)"
_overload_bench_reply() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$@" -- "$current")
}

_overload_bench_files() {
  compopt -o filenames 2>/dev/null
  _overload_bench_reply -f
}

_overload_bench() {
  COMPREPLY=()
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command=${defaultCommand} flags=
  # bash takes --flag=value apart.
  if [[ $current == "=" ]]; then
    current=
  elif [[ $previous == "=" ]]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if ((COMP_CWORD == 1)) && [[ $current != -* ]]; then
    _overload_bench_reply -W "${names.join(" ")}"
    return
  fi
  case "\${COMP_WORDS[1]}" in
    ${names.join("|")}) ((COMP_CWORD > 1)) && command="\${COMP_WORDS[1]}" ;;
  esac
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}

complete -F _overload_bench ${program}
`;
}

function commandCase({ name, flags, argument }: CompletedCommand): string {
  const valued = flags.filter(({ value }) => value !== undefined);
  return `    ${name})
      case $previous in
${valued.map(flagCase).join("\n")}
      esac
      if [[ $current == -* ]]; then
        _overload_bench_reply -W "${flags.map(({ long }) => long).join(" ")}"
      ${argument === undefined ? "" : `else\n        ${replyOf(argument)}\n      `}fi
      ;;`;
}

function flagCase({ long, short, value, valueIsOptional }: CompletedFlag): string {
  const names = short === undefined ? long : `${long}|${short}`;
  const reply = replyOf(value as CompletedValue);
  const action = valueIsOptional ? `if [[ $current != -* ]]; then ${reply}; return; fi` : `${reply}; return`;
  return `        ${names}) ${action} ;;`;
}

function replyOf(value: CompletedValue): string {
  switch (value.kind) {
    case "words":
      return `_overload_bench_reply -W "${value.words.join(" ")}"`;
    case "wordsOrFile":
      return `if [[ $current == [./]* ]]; then _overload_bench_files; else _overload_bench_reply -W "${value.words.join(" ")}"; fi`;
    case "file":
      return "_overload_bench_files";
    case "text":
      return ":";
    default:
      return value satisfies never;
  }
}
