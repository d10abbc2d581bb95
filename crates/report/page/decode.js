// @ts-check
"use strict";

/**
 * Cells of a heat map or of the causes: one array for each of their numbers, the first of which is the column.
 * @typedef {Float64Array[]} Cells
 */

/**
 * Reads compressed bytes: base64 of raw deflate.
 * @param {string} text
 * @returns {Response}
 */
function inflated(text) {
  const compressed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream);
}

/**
 * Reads packed numbers: compressed LEB128 numbers, the lowest seven bits first.
 * @param {string} text
 * @returns {Promise<number[]>}
 */
async function unpack(text) {
  const bytes = new Uint8Array(await inflated(text).arrayBuffer());
  const numbers = [];
  let number = 0;
  let factor = 1;
  for (const byte of bytes) {
    // Not by shifting: that would cut a number to 32 bits. A double is exact up to 2^53 ns, 104 days.
    number += (byte & 127) * factor;
    factor *= 128;
    if (byte < 128) {
      numbers.push(number);
      number = 0;
      factor = 1;
    }
  }
  return numbers;
}

/**
 * Splits numbers into cells of `width` numbers. The first of each is the difference from the cell before.
 * @param {number[]} numbers
 * @param {number} width
 * @returns {Cells}
 */
function cells(numbers, width) {
  const count = numbers.length / width;
  const parts = Array.from({ length: width }, () => new Float64Array(count));
  let column = 0;
  for (let at = 0; at < count; at += 1) {
    column += numbers[at * width];
    parts[0][at] = column;
    for (let part = 1; part < width; part += 1) parts[part][at] = numbers[at * width + part];
  }
  return parts;
}
