/**
 * A charge has the time at which its request started and is in the ledger where it ended, so times go
 * back now and then, though never by more than the longest request. Milliseconds.
 */
export const LONGEST_REQUEST = 24 * 60 * 60 * 1_000

/**
 * The number of an entry that is older than a moment, while the next one is not; 0 before the first. Of those before it
 * none is younger by more than the longest request, of those after it none older by more.
 * @param last the number of the last entry.
 * @param timeOf the time of an entry, Unix milliseconds.
 */
export async function findOlder(
  last: number,
  at: number,
  timeOf: (number: number) => Promise<number>,
): Promise<number> {
  let older = 0
  let younger = last + 1
  while (younger - older > 1) {
    const middle = Math.floor((older + younger) / 2)
    if ((await timeOf(middle)) < at) older = middle
    else younger = middle
  }
  return older
}
