import { LedgerError } from "../ledger-error.ts"
import { methodNames, methodOf, methodsNamed, type GroupsOf } from "../methods.ts"
import type { Store } from "../store.ts"
import { PostgresFailure } from "./failure.ts"

/** Wraps a store so that its failures describe the fault of the database. All engines use the same errors. */
export function explained(store: Store, place: string): Store {
  const methods = explainedGroups<GroupsOf<Store>>(store, place)
  return { ...methods, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

/** Wraps groups of methods in the same way as `explained`. */
export function explainedGroups<Groups extends object>(groups: Groups, place: string): Groups {
  return methodsNamed<Groups>(methodNames(groups), (group, name) => {
    const method = methodOf(groups, group, name)
    return async (...parameters) => {
      try {
        return await method(...parameters)
      } catch (error) {
        throw explainedError(error, place)
      }
    }
  })
}

/** Wraps the methods of any object in the same way as `explained`. */
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

/**
 * Converts a client error to the store's own error if the database is unavailable. Errors that the input has caused are
 * returned unchanged.
 */
export function explainedError(error: unknown, place: string): unknown {
  return error instanceof PostgresFailure && !error.isOfInput ? unavailable(error, place) : error
}

/** Returns the error of a database that is currently unavailable. */
export function unavailable(failure: PostgresFailure, place: string): LedgerError {
  const { message, code } = failure
  const text = `the database at ${place} cannot be used: ${message} (${code})`
  return new LedgerError("unavailable", text, failure)
}
