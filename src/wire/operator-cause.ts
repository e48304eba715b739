/**
 * The actual cause of an error, for the operator. The gateway writes its message, which contains no secrets and no data
 * of callers.
 */
export class OperatorCause extends Error {
  override readonly name: string = "OperatorCause"
}
