// The random numbers of torch's generator on a CPU, so that a seed draws the same outputs here.

const SIZE = 624; // words of the Mersenne twister's state (Matsumoto and Nishimura 1998)
const SHIFT = 397;
const [WORD_BITS, FLOAT_BITS, DOUBLE_BITS] = [32, 24, 53];

export class Generator {
  /** @param {number} seed */
  constructor(seed) {
    this.state = new Uint32Array(SIZE);
    this.state[0] = seed;
    for (let i = 1; i < SIZE; i++) {
      const before = this.state[i - 1] ^ (this.state[i - 1] >>> 30);
      this.state[i] = Math.imul(1_812_433_253, before) + i;
    }
    this.next = SIZE;
  }

  /** A whole number from 0 to 2^32 - 1. */
  word() {
    if (this.next === SIZE) this._twist();
    let word = this.state[this.next++];
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  _twist() {
    const { state } = this;
    for (let i = 0; i < SIZE; i++) {
      const mixed = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff);
      state[i] = state[(i + SHIFT) % SIZE] ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
    }
    this.next = 0;
  }

  /** `count` numbers of single precision from 0 to 1, as `torch.rand`. @param {number} count */
  uniform(count) {
    return Array.from({ length: count }, () => (this.word() & (2 ** FLOAT_BITS - 1)) / 2 ** FLOAT_BITS);
  }

  /** `count` exponential variates of double precision, as `Tensor.exponential_`. @param {number} count */
  exponential(count) {
    return Float64Array.from({ length: count }, () => {
      const [high, low] = [this.word() & (2 ** (DOUBLE_BITS - WORD_BITS) - 1), this.word()];
      const uniform = (high * 2 ** WORD_BITS + low) / 2 ** DOUBLE_BITS;
      return -Math.log1p(-uniform);
    });
  }
}
