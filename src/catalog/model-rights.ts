/** Whether a key may call a model. Absent: it may call all. */
export type Allows = ((id: string) => boolean) | undefined

/** What a key may call, by which names, and at whose prices. */
export interface ModelRights {
  /** Checked for the model that is called, never for the name in the request. */
  readonly allows?: Allows
  /** Aliases, and the ids that they stand for. */
  readonly aliases?: ReadonlyMap<string, string> | undefined
  /** The price group of its account. */
  readonly priceGroup?: string | undefined
}
