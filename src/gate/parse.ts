/**
 * The language of assertions:
 *
 *     assertion  = sum ("<" | "<=" | ">" | ">=" | "==" | "!=") sum
 *     sum        = term { ("+" | "-") term }
 *     term       = unary { ("*" | "/") unary }
 *     unary      = "-" unary | primary
 *     primary    = number | number "%" | duration | fold "(" sum ")" | [arm ":"] figure | "(" sum ")"
 *     fold       = "min" | "max" | "median" | "mean"
 *     figure     = part { "." part }
 *     arm, part  = word | "quoted" | 'quoted'
 *
 * A figure is the median over the trials of its arm, as in the reports; in a fold, its operand is evaluated trial by trial.
 */

import {
  type Assertion,
  armsIn,
  type Comparator,
  type Expression,
  type Fold,
  figuresIn,
  type Operator,
} from "./assertion.ts";
import { figureNames, findFigure, findTrialFigure } from "./catalogue.ts";
import { syntaxError, UnknownFigureError } from "./syntax-error.ts";
import { type Token, tokenize } from "./tokens.ts";
import { BARE, commonUnit, productUnit, quotientUnit, SECONDS, SHARE, type Unit, unitText } from "./unit.ts";

const COMPARATORS: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!="]);
const FOLDS: ReadonlySet<string> = new Set(["min", "max", "median", "mean"]);
/** Bounds on what a configuration file may ask of the parser. */
const LENGTH_MAX = 2000;
const DEPTH_MAX = 64;

/** A part of the assertion that has been read. */
interface Parsed {
  readonly expression: Expression;
  readonly unit: Unit;
  readonly from: number;
  readonly to: number;
}

/**
 * Parses an assertion and checks its names and units.
 *
 * @throws RangeError of one line that says the place and the rule but not the flag; {@link UnknownFigureError} for a name.
 */
export function parseAssertion(text: string): Assertion {
  if (text.length > LENGTH_MAX) {
    throw new RangeError(`must be an assertion of at most ${LENGTH_MAX} characters: it has ${text.length}`);
  }
  return new Parser(text).assertion();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  #inFold = false;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  assertion(): Assertion {
    const left = this.#sum();
    const token = this.#token;
    if (token.kind !== "sign" || !COMPARATORS.has(token.sign)) {
      const hint = token.kind === "sign" && token.sign === "=" ? `: write ${this.#meantBy()}` : "";
      throw this.#error(token.at, `one of < <= > >= == != must follow${hint}`);
    }
    const comparator = token.sign as Comparator;
    this.#next++;
    const right = this.#sum();
    const { at, kind } = this.#token;
    if (kind !== "end") throw this.#error(at, "the assertion must be over: write another --assert for another one");
    if (commonUnit(left.unit, right.unit) === undefined) throw this.#mismatch(token.at, "compared", left, right);
    return { text: this.#text.trim(), left: left.expression, comparator, right: right.expression };
  }

  /** What somebody meant who wrote `=`, `=>` or `=<`. */
  #meantBy(): string {
    const next = this.#tokens[this.#next + 1];
    return next?.kind === "sign" && (next.sign === ">" || next.sign === "<") ? `${next.sign}=` : "==";
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #sum(): Parsed {
    return this.#chain(["+", "-"], () => this.#term());
  }

  #term(): Parsed {
    return this.#chain(["*", "/"], () => this.#unary());
  }

  #chain(operators: readonly Operator[], operand: () => Parsed): Parsed {
    let left = operand();
    for (;;) {
      const token = this.#token;
      const operator = token.kind === "sign" ? operators.find((each) => each === token.sign) : undefined;
      if (operator === undefined) return left;
      this.#next++;
      left = this.#combined(operator, token.at, left, operand());
    }
  }

  #combined(operator: Operator, at: number, left: Parsed, right: Parsed): Parsed {
    return {
      expression: { kind: "binary", operator, left: left.expression, right: right.expression },
      unit: this.#unitOf(operator, at, left, right),
      from: left.from,
      to: right.to,
    };
  }

  #unitOf(operator: Operator, at: number, left: Parsed, right: Parsed): Unit {
    switch (operator) {
      case "+":
      case "-": {
        const unit = commonUnit(left.unit, right.unit);
        if (unit === undefined) throw this.#mismatch(at, operator === "+" ? "added" : "subtracted", left, right);
        return unit;
      }
      case "*":
        return productUnit(left.unit, right.unit);
      case "/": {
        const unit = quotientUnit(left.unit, right.unit);
        if (unit !== undefined) return unit;
        const why = `${this.#said(left)} and ${this.#said(right)}: divide rates by rates (sent/offered) or counts by counts (attempts.sent/calls.planned)`;
        throw this.#error(at, why);
      }
      default:
        return operator satisfies never;
    }
  }

  #unary(): Parsed {
    const token = this.#token;
    if (token.kind !== "sign" || token.sign !== "-") return this.#primary();
    this.#next++;
    const { expression, unit, to } = this.#nested(token.at, () => this.#unary());
    return { expression: { kind: "negate", operand: expression }, unit, from: token.at, to };
  }

  #primary(): Parsed {
    const token = this.#token;
    const { at, end } = token;
    switch (token.kind) {
      case "number":
        this.#next++;
        return { expression: { kind: "number", value: token.value }, unit: BARE, from: at, to: end };
      case "percent":
        this.#next++;
        return { expression: { kind: "percent", value: token.value }, unit: SHARE, from: at, to: end };
      case "duration":
        this.#next++;
        return { expression: { kind: "duration", seconds: token.value }, unit: SECONDS, from: at, to: end };
      case "name":
        return this.#isFold(token) ? this.#fold(token.name as Fold, at) : this.#figure(at);
      case "sign":
        if (token.sign !== "(") throw this.#error(at, `a figure or a number must stand instead of '${token.sign}'`);
        return this.#parenthesised(at);
      case "end":
        throw this.#error(at, "a figure or a number must follow");
      default:
        return token satisfies never;
    }
  }

  #isFold(token: Extract<Token, { readonly kind: "name" }>): boolean {
    return !token.quoted && FOLDS.has(token.name) && this.#isSign(this.#next + 1, "(");
  }

  #parenthesised(at: number): Parsed {
    this.#next++;
    const inner = this.#nested(at, () => this.#sum());
    const { at: closing, end } = this.#token;
    if (!this.#isSign(this.#next, ")")) throw this.#error(closing, "a closing parenthesis must follow");
    this.#next++;
    return { ...inner, from: at, to: end };
  }

  #fold(fold: Fold, at: number): Parsed {
    if (this.#inFold) throw this.#error(at, `${fold}() must not be inside another: it is over the trials of an arm`);
    this.#inFold = true;
    this.#next++;
    const { expression, unit, to } = this.#parenthesised(this.#token.at);
    this.#inFold = false;
    const figures = figuresIn(expression);
    if (!figures.some(({ figure }) => figure.scope === "trial")) {
      throw this.#error(at, `${fold}() must be of a figure that each trial has`);
    }
    if (figures.some(({ figure }) => figure.scope === "arm") || armsIn(expression).size > 1) {
      throw this.#error(at, `${fold}() must be over the trials of one arm, with no figure of a comparison in it`);
    }
    return { expression: { kind: "fold", fold, operand: expression }, unit, from: at, to };
  }

  #figure(at: number): Parsed {
    const arm = this.#isSign(this.#next + 1, ":") ? this.#name() : undefined;
    if (arm !== undefined) this.#next++;
    const start = this.#token.at;
    const parts = [this.#name()];
    while (this.#isSign(this.#next, ".")) {
      this.#next++;
      parts.push(this.#name());
    }
    const to = (this.#tokens[this.#next - 1] as Token).end;
    const figure = (this.#inFold ? findTrialFigure(parts) : undefined) ?? findFigure(parts);
    if (figure === undefined) throw new UnknownFigureError(this.#text, start, parts.join("."), figureNames());
    return { expression: { kind: "figure", arm, figure }, unit: figure.unit, from: at, to };
  }

  #name(): string {
    const token = this.#token;
    if (token.kind !== "name") throw this.#error(token.at, "a name must follow");
    this.#next++;
    return token.name;
  }

  #isSign(index: number, sign: string): boolean {
    const token = this.#tokens[index];
    return token?.kind === "sign" && token.sign === sign;
  }

  #nested<T>(at: number, parse: () => T): T {
    if (++this.#depth > DEPTH_MAX) throw this.#error(at, `there must be at most ${DEPTH_MAX} levels`);
    const parsed = parse();
    this.#depth--;
    return parsed;
  }

  #mismatch(at: number, verb: string, left: Parsed, right: Parsed): RangeError {
    return this.#error(at, `two figures cannot be ${verb}: ${this.#said(left)}, ${this.#said(right)}`);
  }

  #said({ from, to, unit }: Parsed): string {
    const text = unitText(unit);
    return `${this.#text.slice(from, to)} is ${text}`;
  }

  #error(at: number, rule: string): RangeError {
    return syntaxError(this.#text, at, rule);
  }
}
