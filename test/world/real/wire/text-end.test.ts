import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isText } from "../../../../src/world/real/wire/characters.ts";
import { textEnd } from "../../../../src/world/real/wire/text-end.ts";

function endOf(bytes: Uint8Array, from: number, to: number): number {
  return textEnd(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), from, to);
}

function endByteByByte(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isText(bytes[at] as number)) at += 1;
  return at;
}

describe("textEnd()", () => {
  it("ends at each byte that is no text, wherever in a word it stands and whatever stands beside it", () => {
    for (const beside of [0x20, 0x7e, 0x80, 0xff, 0x09]) {
      for (let byte = 0; byte < 256; byte += 1) {
        for (let place = 0; place < 9; place += 1) {
          const bytes = new Uint8Array(9).fill(beside);
          bytes[place] = byte;
          expect([byte, place, endOf(bytes, 0, 9)]).toEqual([byte, place, isText(byte) ? 9 : place]);
        }
      }
    }
  });

  it("ends where looking byte by byte ends, and never beyond the piece", () => {
    const nearText = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0x1f, max: 0x80 }) }, fc.nat(255));
    const places = fc
      .array(nearText, { maxLength: 40 })
      .chain((numbers) =>
        fc.tuple(
          fc.constant(Uint8Array.from([0, ...numbers]).subarray(1)),
          fc.nat(numbers.length),
          fc.nat(numbers.length),
        ),
      );
    fc.assert(
      fc.property(places, ([bytes, one, other]) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        expect(endOf(bytes, from, to)).toBe(endByteByByte(bytes, from, to));
      }),
    );
  });
});
