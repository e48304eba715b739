/** A price list that nobody may use, and why. */
export class FeedError extends Error {
  override readonly name = "FeedError"
}
