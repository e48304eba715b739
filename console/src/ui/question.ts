/** A confirmation of unusual input. */
export interface Question {
  /** The title, which names the action and its target: "Grant 5,000.00 credits to Acme?" */
  readonly title: string
  readonly text: string
  readonly action: string
}
