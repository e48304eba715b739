/** Whether a key may call a model. If absent, the key may call all models. */
export type Allows = ((id: string) => boolean) | undefined

/** The models that a key may call, with aliases and prices. */
export interface ModelRights {
  /** Applied to the resolved model, never to the requested name. */
  readonly allows?: Allows
  /** Maps aliases to the ids of their models. */
  readonly aliases?: ReadonlyMap<string, string> | undefined
  /** The price group of the key's account. */
  readonly priceGroup?: string | undefined
}
