import { describe, expect, it } from "vitest";
import { statusOf } from "../../../../src/world/real/http2/status.ts";

/** RFC 7541, appendix B: the codes of the digits, as strings of bits. */
const DIGITS = ["00000", "00001", "00010", "011001", "011010", "011011", "011100", "011101", "011110", "011111"];

function huffman(status: number): number[] {
  const bits = [...String(status)].map((digit) => DIGITS[Number(digit)]).join("");
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, "1");
  const bytes = padded.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2));
  return [0x80 | bytes.length, ...bytes];
}

const plain = (status: number): number[] => [3, ...Buffer.from(String(status))];
const OTHER_FIELD = [0x00, 1, 0x61, 1, 0x62];

describe("statusOf()", () => {
  it.each([
    [0x88, 200],
    [0x89, 204],
    [0x8a, 206],
    [0x8b, 304],
    [0x8c, 400],
    [0x8d, 404],
    [0x8e, 500],
  ])("knows the static table's entry %i", (byte, status) => {
    expect(statusOf(Buffer.from([byte, ...OTHER_FIELD]))).toBe(status);
  });

  it("reads every status as a literal, whatever the form of its name and of its value", () => {
    const names = [
      [0x08],
      [0x18],
      [0x48],
      [0x0e],
      [0x00, 7, ...Buffer.from(":status")],
      [0x40, 0x85, 0xb8, 0x84, 0x8d, 0x36, 0xa3],
    ];
    for (let status = 100; status < 1000; status += 1) {
      for (const name of names) {
        expect(statusOf(Buffer.from([...name, ...plain(status), ...OTHER_FIELD]))).toBe(status);
        expect(statusOf(Buffer.from([...name, ...huffman(status), ...OTHER_FIELD]))).toBe(status);
      }
    }
  });

  it("passes over updates of the dynamic table's size to 0", () => {
    expect(statusOf(Buffer.from([0x20, 0x20, 0x8d]))).toBe(404);
  });

  it.each([
    ["no field", []],
    ["another field first", OTHER_FIELD],
    ["an entry of the static table that is no status", [0x82]],
  ])("finds none in a block with %s", (_what, bytes) => {
    expect(statusOf(Buffer.from(bytes))).toBe(0);
  });

  it.each([
    ["a dynamic table larger than 0", [0x3f, 0xe1, 0x1f, 0x88]],
    ["an entry of a dynamic table", [0xbe]],
    ["index 0", [0x80]],
    ["a value that is cut short", [0x08, 3, 0x32]],
    ["a value that is no number", [0x08, 3, 0x61, 0x62, 0x63]],
    ["a Huffman value that is no number", [0x08, 0x82, 0x1c, 0x64]],
    ["no value at all", [0x08]],
  ])("refuses %s", (_what, bytes) => {
    expect(() => statusOf(Buffer.from(bytes))).toThrow();
  });
});
