/** Runs a step for each item, a few at a time. */
export async function inBatches<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const waiting = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) await work(item, index)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
