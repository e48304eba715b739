/** Returns the cosine similarity of two vectors, from -1 to 1; 0 for a zero vector. */
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

/** Returns the similarity of each pair, row by row. */
export function similarities(vectors: readonly (readonly number[])[]): number[][] {
  return vectors.map((left) => vectors.map((right) => cosine(left, right)))
}

/** Returns the nonempty lines of a text. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
}
