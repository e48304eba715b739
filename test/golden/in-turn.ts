/**
 * The share of `all` for one of several: together they have all, and the assignment differs from case to case. It
 * depends only on the name, so that a new case does not move files of another.
 */
export function inTurn<T>(
  all: readonly T[],
  name: string,
  { position, of }: { position: number; of: number },
): readonly T[] {
  const size = Math.ceil(all.length / of)
  const start = Bun.hash.crc32(name) + position * size
  return all.filter((_, index) => (index + all.length - (start % all.length)) % all.length < size)
}
