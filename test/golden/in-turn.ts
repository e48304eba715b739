/**
 * The share of `all` that falls to one of several: together they have all, and which of them has what differs from
 * case to case. It depends on nothing but the name, so that a new case moves no file of another.
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
