/** What has really happened, for the operator: our own words, which hold no secret and nothing of a caller. */
export class OperatorCause extends Error {
  override readonly name: string = "OperatorCause"
}
