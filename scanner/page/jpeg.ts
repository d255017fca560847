// A JPEG file of pixels: baseline, with the tables of the standard and the colours of every second pixel.
// https://www.w3.org/Graphics/JPEG/itu-t81.pdf (its annexes F and K) and https://www.w3.org/Graphics/JPEG/jfif3.pdf

const ZIGZAG = [
  ...[
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28,
  ],
  ...[
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  ],
  ...[55, 62, 63],
];
/** Annex K.1, in zigzag order. */
const LUMINANCE = [
  ...[
    16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61,
  ],
  ...[60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103, 62, 77, 113],
  ...[121, 112, 100, 120, 92, 101, 103, 99],
];
const CHROMINANCE = [17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66].concat(Array<number>(50).fill(99));

/** How many codes there are of each length, and what they stand for (annex K.3). */
type Huffman = readonly [counts: readonly number[], symbols: readonly number[]];
const DC_SYMBOLS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const DC: readonly Huffman[] = [
  [[0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], DC_SYMBOLS],
  [[0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], DC_SYMBOLS],
];
const bytes = (hexadecimal: string): number[] => (hexadecimal.match(/../g) ?? []).map((each) => parseInt(each, 16));
const AC: readonly Huffman[] = [
  [
    [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
    bytes(
      '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738' +
        '393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4' +
        'a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
    ),
  ],
  [
    [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
    bytes(
      '0001020311040521310612415107617113223281081442' +
        '91a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a63646566' +
        '6768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7' +
        'c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
    ),
  ],
];

/** The code of each symbol, and its length in bits. */
interface Codes {
  readonly code: Uint16Array;
  readonly length: Uint8Array;
}

function codesOf([counts, symbols]: Huffman): Codes {
  const code = new Uint16Array(256);
  const length = new Uint8Array(256);
  let next = 0;
  let index = 0;
  counts.forEach((count, bits) => {
    for (let each = 0; each < count; each++, index++, next++) {
      const symbol = symbols[index] ?? 0;
      code[symbol] = next;
      length[symbol] = bits + 1;
    }
    next <<= 1;
  });
  return { code, length };
}

/** A table for a quality of 1 to 100, as libjpeg makes it. */
function quantization(table: readonly number[], quality: number): number[] {
  const scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return table.map((value) => Math.min(255, Math.max(1, Math.floor((value * scale + 50) / 100))));
}

const COSINES = [1, 1.387039845, 1.306562965, 1.175875602, 1, 0.785694958, 0.5411961, 0.275899379];

/** What a coefficient, in its place in the block, is multiplied with, since the transform below leaves it scaled. */
function divisors(table: readonly number[]): Float64Array {
  const found = new Float64Array(64);
  ZIGZAG.forEach((place, index) => {
    const row = COSINES[place >> 3] ?? 1;
    const column = COSINES[place & 7] ?? 1;
    found[place] = 1 / ((table[index] ?? 1) * row * column * 8);
  });
  return found;
}

/** The cosine transform of one row or column, scaled. Y. Arai, T. Agui and M. Nakajima, 1988. */
function transform(data: Float64Array, from: number, step: number): void {
  const at = (index: number): number => data[from + index * step] ?? 0;
  const sum0 = at(0) + at(7);
  const difference0 = at(0) - at(7);
  const sum1 = at(1) + at(6);
  const difference1 = at(1) - at(6);
  const sum2 = at(2) + at(5);
  const difference2 = at(2) - at(5);
  const sum3 = at(3) + at(4);
  const difference3 = at(3) - at(4);
  const outer = sum0 - sum3;
  const even = (sum1 - sum2 + outer) * 0.707106781;
  data[from] = sum0 + sum3 + sum1 + sum2;
  data[from + 4 * step] = sum0 + sum3 - sum1 - sum2;
  data[from + 2 * step] = outer + even;
  data[from + 6 * step] = outer - even;
  const first = difference3 + difference2;
  const middle = (difference2 + difference1) * 0.707106781;
  const last = difference1 + difference0;
  const turn = (first - last) * 0.382683433;
  const low = 0.5411961 * first + turn;
  const high = 1.306562965 * last + turn;
  data[from + 5 * step] = difference0 - middle + low;
  data[from + 3 * step] = difference0 - middle - low;
  data[from + step] = difference0 + middle + high;
  data[from + 7 * step] = difference0 + middle - high;
}

/** Bits of a scan; a byte 255 is followed by a 0. */
class BitWriter {
  private data = new Uint8Array(1 << 16);
  private used = 0;
  private bits = 0;
  private count = 0;

  byte(...values: number[]): void {
    for (const value of values) {
      if (this.used === this.data.length) {
        const larger = new Uint8Array(2 * this.used);
        larger.set(this.data);
        this.data = larger;
      }
      this.data[this.used++] = value;
    }
  }

  segment(marker: number, content: readonly number[]): void {
    const length = content.length + 2;
    this.byte(255, marker, length >> 8, length & 255, ...content);
  }

  put(value: number, length: number): void {
    this.bits = (this.bits << length) | value;
    this.count += length;
    while (this.count >= 8) {
      this.count -= 8;
      const byte = (this.bits >> this.count) & 255;
      this.byte(byte);
      if (byte === 255) this.byte(0);
    }
    this.bits &= (1 << this.count) - 1;
  }

  end(): Uint8Array {
    if (this.count > 0) this.put((1 << (8 - this.count)) - 1, 8 - this.count);
    this.byte(255, 0xd9);
    return this.data.subarray(0, this.used);
  }
}

/** The encoder of one component: its tables, and the mean of its block before. */
class Component {
  private previous = 0;
  private readonly coefficients = new Int32Array(64);

  constructor(
    private readonly out: BitWriter,
    private readonly scale: Float64Array,
    private readonly dc: Codes,
    private readonly ac: Codes,
  ) {}

  /** Write a block of 8 by 8 values, which is used up. */
  write(block: Float64Array): void {
    for (let row = 0; row < 64; row += 8) transform(block, row, 1);
    for (let column = 0; column < 8; column++) transform(block, column, 8);
    const { coefficients, scale } = this;
    for (let index = 0; index < 64; index++) {
      const place = ZIGZAG[index] ?? 0;
      coefficients[index] = Math.round((block[place] ?? 0) * (scale[place] ?? 0));
    }
    const mean = coefficients[0] ?? 0;
    this.value(this.dc, 0, mean - this.previous);
    this.previous = mean;
    let zeros = 0;
    for (let index = 1; index < 64; index++) {
      const value = coefficients[index] ?? 0;
      if (value === 0) {
        zeros++;
        continue;
      }
      for (; zeros > 15; zeros -= 16) this.symbol(this.ac, 0xf0);
      this.value(this.ac, zeros << 4, value);
      zeros = 0;
    }
    if (zeros > 0) this.symbol(this.ac, 0);
  }

  private symbol(codes: Codes, symbol: number): void {
    this.out.put(codes.code[symbol] ?? 0, codes.length[symbol] ?? 0);
  }

  private value(codes: Codes, run: number, value: number): void {
    const length = 32 - Math.clz32(Math.abs(value));
    this.symbol(codes, run | length);
    if (length > 0) this.out.put(value < 0 ? value + (1 << length) - 1 : value, length);
  }
}

/** Pixels as a `CanvasRenderingContext2D` returns them, whatever is behind them white; `quality` is 1 to 100. */
export function encodeJpeg({ data, width, height }: ImageData, quality: number): Uint8Array {
  const out = new BitWriter();
  const tables = [quantization(LUMINANCE, quality), quantization(CHROMINANCE, quality)];
  out.byte(255, 0xd8);
  out.segment(0xe0, [74, 70, 73, 70, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
  tables.forEach((table, index) => {
    out.segment(0xdb, [index, ...table]);
  });
  const components = [1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
  out.segment(0xc0, [8, height >> 8, height & 255, width >> 8, width & 255, 3, ...components]);
  [DC, AC].forEach((kind, bit) => {
    kind.forEach(([counts, symbols], index) => {
      out.segment(0xc4, [(bit << 4) | index, ...counts, ...symbols]);
    });
  });
  out.segment(0xda, [3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]);

  const component = (kind: 0 | 1): Component =>
    new Component(out, divisors(tables[kind] ?? []), codesOf(DC[kind] as Huffman), codesOf(AC[kind] as Huffman));
  const [luminance, blue, red] = [component(0), component(1), component(1)];
  const lights = [0, 1, 2, 3].map(() => new Float64Array(64));
  const [blues, reds] = [new Float64Array(64), new Float64Array(64)];
  for (let top = 0; top < height; top += 16) {
    for (let left = 0; left < width; left += 16) {
      blues.fill(0);
      reds.fill(0);
      for (let y = 0; y < 16; y++) {
        const row = Math.min(top + y, height - 1) * width;
        for (let x = 0; x < 16; x++) {
          const pixel = (row + Math.min(left + x, width - 1)) * 4;
          const r = data[pixel] ?? 0;
          const g = data[pixel + 1] ?? 0;
          const b = data[pixel + 2] ?? 0;
          const light = 0.299 * r + 0.587 * g + 0.114 * b;
          const block = lights[(y >> 3) * 2 + (x >> 3)];
          if (block) block[(y & 7) * 8 + (x & 7)] = light - 128;
          const quarter = (y >> 1) * 8 + (x >> 1);
          blues[quarter] = (blues[quarter] ?? 0) + (b - light) * (0.564334 / 4);
          reds[quarter] = (reds[quarter] ?? 0) + (r - light) * (0.713267 / 4);
        }
      }
      for (const block of lights) luminance.write(block);
      blue.write(blues);
      red.write(reds);
    }
  }
  return out.end();
}
