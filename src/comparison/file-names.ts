/**
 * What result files are called in a comparison: each by the end of its path that tells it from all others, without `.json`.
 * The same file twice is told apart by a number.
 */
export function fileNames(paths: readonly string[]): string[] {
  const parts = paths.map((path) =>
    path
      .replace(/\.json$/u, "")
      .split(/[/\\]+/u)
      .filter((part) => part !== "" && part !== "."),
  );
  const names = parts.map((own, index) => {
    for (let length = 1; length <= own.length; length += 1) {
      const name = endOf(own, length);
      if (parts.every((other, at) => at === index || endOf(other, length) !== name)) return name;
    }
    return endOf(own, 1);
  });
  return names.map((name, index) => {
    const before = names.slice(0, index).filter((other) => other === name).length;
    return before === 0 ? name : `${name} #${before + 1}`;
  });
}

function endOf(parts: readonly string[], length: number): string {
  return parts.slice(-length).join("/");
}
