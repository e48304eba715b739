import { decimalText } from "./numbers.ts"

const UNITS = ["B", "kB", "MB", "GB", "TB"]

/** Formats a size, such as `4.1 MB`. */
export function bytesText(bytes: number): string {
  const steps = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const size = steps === 0 ? String(bytes) : decimalText((bytes / 1_000 ** steps).toFixed(1))
  return `${size} ${UNITS[steps]}`
}
