/**
 * Returns a part of `all` for one of several cases. Together, the parts contain all elements, and the assignment
 * differs between cases. It depends only on the case's name, so a new case does not change the files of others.
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
