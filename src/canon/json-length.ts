/** Minimum characters of a value that is not a text. */
const MIN_VALUE_LENGTH = 1

/**
 * Returns a lower bound of the length of a value's JSON, without creating it. The bound is close unless texts have many
 * characters that JSON escapes.
 */
export function minJsonLength(value: unknown): number {
  const open: unknown[] = [value]
  let length = 0
  for (let one = open.pop(); one !== undefined || open.length > 0; one = open.pop()) {
    if (typeof one === "string") length += one.length + 2
    else if (Array.isArray(one)) {
      length += one.length + 1
      for (const element of one) open.push(element)
    } else if (typeof one === "object" && one !== null) {
      length += 1
      for (const [name, member] of Object.entries(one)) {
        if (member === undefined) continue
        length += name.length + 4
        open.push(member)
      }
    } else if (one !== undefined) length += MIN_VALUE_LENGTH
  }
  return length
}
