/** The account and key that pay for a request. */
export interface Payer {
  readonly account: string
  readonly key: string
  /** The owners of the budgets of the key, of its account and of the labels of a request in the current period. */
  readonly budgets: readonly string[]
  /**
   * The period in which this payer is valid, in Unix milliseconds, with an exclusive end. No hold is placed outside it.
   */
  readonly from: number
  readonly until: number
}
