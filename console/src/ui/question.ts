/** What is asked before something is done that is rarely meant. */
export interface Question {
  /** Names what it is about: "Grant 5,000.00 credits to Acme?" */
  readonly title: string
  readonly text: string
  readonly action: string
}
