import { decimalText } from "./numbers.ts"

/** Approximate number of steps of an axis. */
const STEPS = 4
/** The allowed step sizes, each multiplied by any power of ten. */
const STEP_SIZES = [1, 2, 2.5, 5, 10]

/**
 * Returns the values of the axis lines. They go from 0 in equal, round steps to the first value that is not below
 * `highest`.
 * @param areWhole whether only whole numbers make sense.
 */
export function axisTicks(highest: number, areWhole: boolean): number[] {
  if (highest <= 0) return areWhole ? [0, 1, 2, 3, 4] : [0, 0.25, 0.5, 0.75, 1]
  const wanted = areWhole ? Math.max(1, highest / STEPS) : highest / STEPS
  const power = 10 ** Math.floor(Math.log10(wanted))
  const sizes = STEP_SIZES.map((size) => size * power)
  const fits = (size: number) =>
    size * (1 + 1e-9) >= wanted && (!areWhole || Number.isInteger(size))
  const step = sizes.find(fits) ?? 10 * power
  const count = Math.ceil((highest / step) * (1 - 1e-9))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** Formats a value of a credits axis. Even a tiny value has no exponent. */
export function creditsTick(value: number): string {
  if (value === 0) return "0"
  const plain = Number(value.toPrecision(3)).toFixed(12)
  return decimalText(plain.replace(/\.?0+$/, ""))
}
