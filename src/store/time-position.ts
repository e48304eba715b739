/** Where a page of a list that is sorted by time starts. */
export interface TimePosition {
  readonly at: number
  readonly id: string
}
