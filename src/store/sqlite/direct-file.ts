import type { Store } from "../store.ts"
import { type GroupsOf, type Method, methodNames, methodOf, methodsNamed } from "../methods.ts"
import type { SqliteStore } from "./sqlite-store.ts"

/** A file on the caller's thread. Its methods can be moved to another thread while they are in use. */
export class DirectFile {
  readonly #direct: SqliteStore
  readonly #checkpoints: Disposable | undefined
  /** The store on the other thread, after the methods were moved. */
  #moved: Store | undefined

  constructor(direct: SqliteStore, checkpoints?: Disposable) {
    this.#direct = direct
    this.#checkpoints = checkpoints
  }

  /** Returns the methods as a store, whose failures are asynchronous. */
  store(): Store {
    const { methods } = this.#direct
    const named = methodsNamed<GroupsOf<Store>>(methodNames(methods), (group, name) => {
      const method = methodOf(methods, group, name)
      return async (...parameters) =>
        this.#moved === undefined
          ? this.#perform(method, parameters)
          : methodOf(this.#moved, group, name)(...parameters)
    })
    return { ...named, [Symbol.asyncDispose]: () => this.#close() }
  }

  #perform(method: Method, parameters: readonly unknown[]): unknown {
    try {
      return method(...parameters)
    } catch (error) {
      throw this.#direct.explained(error)
    }
  }

  /** Methods are synchronous, so no method is running at this point. */
  async moveTo(open: () => Promise<Store>): Promise<void> {
    this.#moved = await open()
    this.#end()
  }

  async #close(): Promise<void> {
    if (this.#moved === undefined) this.#end()
    else await this.#moved[Symbol.asyncDispose]()
  }

  #end(): void {
    this.#checkpoints?.[Symbol.dispose]()
    this.#direct.close()
  }
}
