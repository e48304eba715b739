/** The position after which a page starts, in a list sorted by time. */
export interface TimePosition {
  readonly at: number
  readonly id: string
}
