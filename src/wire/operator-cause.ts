/**
 * The actual cause of an error, for the operator. The message is composed by the gateway and contains no secrets or
 * caller data.
 */
export class OperatorCause extends Error {
  override readonly name: string = "OperatorCause"
}
