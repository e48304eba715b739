/**
 * Objects with groups of methods, which can be called directly or on another thread. The names of the methods are read
 * from the object itself, so that no list can be incomplete.
 */

export type Method = (...parameters: readonly unknown[]) => unknown

/** The names of the methods of each group. */
export type MethodNames = Readonly<Record<string, readonly string[]>>

/** The groups of methods of an interface, without the method for disposal. */
export type GroupsOf<Interface> = Omit<Interface, symbol>

/** The synchronous form of the same methods, for calls on the thread that has the file open. */
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

/** Returns the names of an object's groups and of their methods. */
export function methodNames(groups: object): MethodNames {
  return Object.fromEntries(
    Object.entries(groups).map(([group, methods]) => [group, Object.keys(methods)] as const),
  )
}

/**
 * Returns a method.
 * @throws Error if it does not exist.
 */
export function methodOf(groups: object, group: string, name: string): Method {
  const methods: unknown = Reflect.get(groups, group)
  const method: unknown = isObject(methods) ? Reflect.get(methods, name) : undefined
  if (!isMethod(method)) throw new Error(`the store has no method '${group}.${name}'`)
  return method
}

/**
 * Creates an object with groups of methods from their names. The compiler cannot check names that are only known at run
 * time, so this is the only place that casts them.
 * @param names the method names of an object of the type `Groups`, or of its `Direct` form.
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
