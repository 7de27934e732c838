/** A strict reader of the page's markup: every element is closed in order, every attribute is in double quotes. */

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Element | string)[];
}

const VOID = new Set(["meta", "link", "br", "img", "input"]);
const TAG = /<(?<close>\/?)(?<name>[a-z][a-z0-9]*)(?<rest>(?:\s+[\w-]+(?:="[^"]*")?)*)\s*(?<self>\/?)>/uy;
const ATTRIBUTE = /(?<name>[\w-]+)(?:="(?<value>[^"]*)")?/gu;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** @throws Error where the text is not such markup. */
export function readMarkup(text: string): Element {
  const root: Element = { name: "", attributes: {}, children: [] };
  const open: Element[] = [root];
  let place = text.replace(/^<!doctype html>/u, "") === text ? 0 : "<!doctype html>".length;
  while (place < text.length) {
    const top = open.at(-1) as Element;
    if (text[place] !== "<") {
      const end = text.indexOf("<", place);
      const piece = text.slice(place, end < 0 ? text.length : end);
      if (piece.includes(">")) throw new Error(`Unescaped > in "${piece.slice(0, 60)}"`);
      top.children.push(plainText(piece));
      place += piece.length;
      continue;
    }
    TAG.lastIndex = place;
    const groups = TAG.exec(text)?.groups;
    if (groups === undefined) throw new Error(`No tag at "${text.slice(place, place + 60)}"`);
    place = TAG.lastIndex;
    const { close, name = "", rest = "", self } = groups;
    if (close === "/") {
      if (top.name !== name) throw new Error(`</${name}> closes <${top.name}>`);
      open.pop();
      continue;
    }
    const element: Element = { name, attributes: attributesOf(rest), children: [] };
    top.children.push(element);
    if (name === "style" || name === "script") {
      const end = text.indexOf(`</${name}>`, place);
      element.children.push(text.slice(place, end));
      place = end + `</${name}>`.length;
    } else if (self !== "/" && !VOID.has(name)) open.push(element);
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> is not closed`);
  return root;
}

/** All elements in the order of the text. */
export function elements(root: Element, name?: string): Element[] {
  const found = root.children.flatMap((child) => (typeof child === "string" ? [] : [child, ...elements(child)]));
  return name === undefined ? found : found.filter((element) => element.name === name);
}

export function textOf(element: Element): string {
  return element.children.map((child) => (typeof child === "string" ? child : textOf(child))).join("");
}

/** The cells of a table, its head first. */
export function tableRows(table: Element): string[][] {
  return elements(table, "tr").map((row) =>
    row.children.filter((child): child is Element => typeof child !== "string").map(textOf),
  );
}

/** The table whose caption begins so. */
export function tableOf(root: Element, caption: string): Element {
  const found = elements(root, "table").find((table) =>
    textOf(elements(table, "caption")[0] as Element).startsWith(caption),
  );
  if (found === undefined) throw new Error(`No table "${caption}"`);
  return found;
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const { groups } of text.matchAll(ATTRIBUTE)) {
    const name = groups?.name ?? "";
    if (name in attributes) throw new Error(`Attribute ${name} is there twice`);
    attributes[name] = plainText(groups?.value ?? "");
  }
  return attributes;
}

function plainText(text: string): string {
  return text.replace(/&(?:#(?<code>\d+)|(?<name>\w+));/gu, (whole, code?: string, name?: string) =>
    code === undefined ? (ENTITIES[name ?? ""] ?? whole) : String.fromCodePoint(Number(code)),
  );
}
