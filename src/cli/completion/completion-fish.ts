import type { CompletedCommand, CompletedFlag, CompletedValue, CompletionModel } from "./completion-model.ts";

/** The script for fish. */
export function fishCompletion({ program, defaultCommand, commands }: CompletionModel): string {
  return `# Completion of ${program} for fish: ${program} completion fish | source
function __overload_bench_command
  set -l words (commandline -opc)
  if contains -- "$words[2]" ${commands.map(({ name }) => name).join(" ")}
    echo $words[2]
  else
    echo ${defaultCommand}
  end
end

function __overload_bench_uses
  test (__overload_bench_command) = $argv[1]
end

complete -c ${program} -f
${commands.map(({ name, description }) => `complete -c ${program} -n __fish_is_first_arg -a ${name} -d ${quoted(description)}`).join("\n")}
${commands.map((command) => commandLines(program, command)).join("\n")}
`;
}

function commandLines(program: string, { name, flags, argument }: CompletedCommand): string {
  const start = `complete -c ${program} -n '__overload_bench_uses ${name}'`;
  const lines = flags.map((flag) => `${start} ${flagWords(flag)}`);
  // Where no command is named, its arguments would be taken for one.
  if (argument !== undefined) lines.push(`${start} ${valueWords(argument)}`);
  return lines.join("\n");
}

function flagWords({ long, short, description, value, valueIsOptional }: CompletedFlag): string {
  const names = `-l ${long.replace(/^--/u, "")}${short === undefined ? "" : ` -s ${short.replace(/^-/u, "")}`}`;
  const taking = value === undefined ? "" : `${valueIsOptional ? "" : "-r "}${valueWords(value)} `;
  return `${names} ${taking}-d ${quoted(description)}`;
}

function valueWords(value: CompletedValue): string {
  switch (value.kind) {
    case "words":
      return `-f -a '${value.words.join(" ")}'`;
    case "wordsOrFile":
      return `-F -a '${value.words.join(" ")}'`;
    case "file":
      return "-F";
    case "text":
      return "-f";
    default:
      return value satisfies never;
  }
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/gu, "\\$&")}'`;
}
