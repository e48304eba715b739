/** A price list that cannot be used, with the reason. */
export class FeedError extends Error {
  override readonly name = "FeedError"
}
