/** How alike two vectors are, from -1 to 1; 0 for a vector without a direction. */
export function cosine(left: readonly number[], right: readonly number[]): number {
  let product = 0
  let leftSquare = 0
  let rightSquare = 0
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const one = left[index] ?? 0
    const other = right[index] ?? 0
    product += one * other
    leftSquare += one * one
    rightSquare += other * other
  }
  const scale = Math.sqrt(leftSquare) * Math.sqrt(rightSquare)
  return scale === 0 ? 0 : product / scale
}

/** How alike each pair is, row by row. */
export function similarities(vectors: readonly (readonly number[])[]): number[][] {
  return vectors.map((left) => vectors.map((right) => cosine(left, right)))
}

/** The lines of a text that say something. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
}
