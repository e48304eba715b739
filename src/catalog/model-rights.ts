/** Returns whether a key may call a model; all models are allowed if absent. */
export type Allows = ((id: string) => boolean) | undefined

/** The models that a key may call, with aliases and prices. */
export interface ModelRights {
  /** Applied to the resolved model, never to the name in the request. */
  readonly allows?: Allows
  /** Aliases with the ids of their models. */
  readonly aliases?: ReadonlyMap<string, string> | undefined
  /** The price group of its account. */
  readonly priceGroup?: string | undefined
}
