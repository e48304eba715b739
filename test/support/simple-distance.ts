/**
 * Returns the edit distance by its definition, including swaps of adjacent letters. It is the minimum cost for the
 * first letters of both texts.
 */
export function simpleDistance(left: string, right: string): number {
  const costs: number[][] = []
  const cost = (row: number, column: number): number => costs[row]?.[column] ?? Infinity
  for (let row = 0; row <= left.length; row++) {
    costs.push([])
    for (let column = 0; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1]
      const isSwap =
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1]
      const least = Math.min(
        row + column === 0 ? 0 : Infinity,
        cost(row - 1, column) + 1,
        cost(row, column - 1) + 1,
        cost(row - 1, column - 1) + (same ? 0 : 1),
        isSwap ? cost(row - 2, column - 2) + 1 : Infinity,
      )
      costs[row]?.push(least)
    }
  }
  return cost(left.length, right.length)
}
