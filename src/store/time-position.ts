/** Where a page of a list sorted by time begins. */
export interface TimePosition {
  readonly at: number
  readonly id: string
}
