/** Whether a key may call a model. Absent: it may call all. */
export type Allows = ((id: string) => boolean) | undefined

/** What a key says of models. */
export interface ModelRights {
  /** Asked of the model that is called, never of the name that it was asked for by. */
  readonly allows?: Allows
  /** Further names, and the ids that they stand for. */
  readonly aliases?: ReadonlyMap<string, string> | undefined
}
