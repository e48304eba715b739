import { LedgerError } from "../ledger-error.ts"
import { methodNames, methodOf, methodsNamed, type GroupsOf } from "../methods.ts"
import type { Store } from "../store.ts"
import { PostgresFailure } from "./failure.ts"

/** A store whose failures say what is wrong with the database, in the words that all engines share. */
export function explained(store: Store, place: string): Store {
  const methods = methodsNamed<GroupsOf<Store>>(methodNames(store), (group, name) => {
    const method = methodOf(store, group, name)
    return async (...parameters) => {
      try {
        return await method(...parameters)
      } catch (error) {
        throw explainedError(error, place)
      }
    }
  })
  return { ...methods, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

/** The same for what is stored besides the store. */
export function explaining<Methods extends object>(methods: Methods, place: string): Methods {
  return new Proxy(methods, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== "function") return method
      return async (...parameters: unknown[]): Promise<unknown> => {
        try {
          return await Reflect.apply(method, target, parameters)
        } catch (error) {
          throw explainedError(error, place)
        }
      }
    },
  })
}

/** An error of the client as the store's own, where it is the database that cannot be used, and not what it was given. */
export function explainedError(error: unknown, place: string): unknown {
  return error instanceof PostgresFailure && !error.isOfInput ? unavailable(error, place) : error
}

/** The database cannot be used now. */
export function unavailable(failure: PostgresFailure, place: string): LedgerError {
  const { message, code } = failure
  const text = `the database at ${place} cannot be used: ${message} (${code})`
  return new LedgerError("unavailable", text, failure)
}
