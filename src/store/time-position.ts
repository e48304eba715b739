/** The position after which a page of a list sorted by time starts. */
export interface TimePosition {
  readonly at: number
  readonly id: string
}
