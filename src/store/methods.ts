/**
 * Objects of methods, group by group, as SQLite files serve them: directly, or from a thread. What is called by name is
 * named by the object that has it, so no list of names can be incomplete.
 */

export type Method = (...parameters: readonly unknown[]) => unknown

/** The names of the methods of each group. */
export type MethodNames = Readonly<Record<string, readonly string[]>>

/** The groups of methods of an interface: all of it but how it is closed. */
export type GroupsOf<Interface> = Omit<Interface, symbol>

/** The same methods on the file's own thread: synchronous. */
export type Direct<Groups> = {
  readonly [Group in keyof Groups]: {
    readonly [Name in keyof Groups[Group]]: DirectMethod<Groups[Group][Name]>
  }
}

type DirectMethod<Asynchronous> = Asynchronous extends (
  ...parameters: infer Parameters
) => Promise<infer Result>
  ? (...parameters: Parameters) => Result
  : never

/** What the groups of an object are called, and their methods. */
export function methodNames(groups: object): MethodNames {
  return Object.fromEntries(
    Object.entries(groups).map(([group, methods]) => [group, Object.keys(methods)] as const),
  )
}

/** @throws Error when there is no such method. */
export function methodOf(groups: object, group: string, name: string): Method {
  const methods: unknown = Reflect.get(groups, group)
  const method: unknown = isObject(methods) ? Reflect.get(methods, name) : undefined
  if (!isMethod(method)) throw new Error(`the store has no method '${group}.${name}'`)
  return method
}

/**
 * Makes an object of groups of methods from their names. The compiler cannot follow names that are only known at run
 * time: this is the one place where they get a type.
 * @param names of an object that has the type `Groups`, or its `Direct` form.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function methodsNamed<Groups>(
  names: MethodNames,
  make: (group: string, name: string) => Method,
): Groups {
  const groups = Object.entries(names).map(([group, methods]) => {
    const made = methods.map((name) => [name, make(group, name)] as const)
    return [group, Object.fromEntries(made)] as const
  })
  return Object.fromEntries(groups) as Groups
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}

function isMethod(value: unknown): value is Method {
  return typeof value === "function"
}
