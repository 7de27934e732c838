/** The one syntax of composite values: a name, then options. `sre,k=1.5,window=10` and `shed:capacity=400,rejectCost=0.3`. */

export interface Composite {
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
}

/** @throws RangeError that says the rule and the value, but not the flag. */
export function parseComposite(text: string): Composite {
  const [, name, rest] = /^([^:,=\s]+)(?:[:,](.*))?$/.exec(text.trim()) ?? [];
  if (name === undefined) throw refusal("must start with a name", text);
  // Without a prototype: `__proto__` is a key like any other, and nobody's option.
  const options: Record<string, string> = Object.create(null);
  if (rest === undefined) return { name, options };
  for (const part of rest.split(",")) {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(\S+)\s*$/.exec(part) ?? [];
    if (key === undefined || value === undefined) throw refusal("must list options as key=value", text);
    if (Object.hasOwn(options, key)) throw refusal(`must give '${key}' once`, text);
    options[key] = value;
  }
  return { name, options };
}

function refusal(rule: string, text: string): RangeError {
  return new RangeError(`${rule}, as in sre,k=1.5,window=10: current value is "${text}"`);
}
