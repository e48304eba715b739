/** An element with its neighbors; used by the list only. */
export class ListNode<T> {
  readonly element: T
  earlier: ListNode<T> | undefined = undefined
  later: ListNode<T> | undefined = undefined

  constructor(element: T) {
    this.element = element
  }
}

/**
 * Elements in the order they arrived, each of which can be removed in constant time. A `Set` does that too, but
 * with thousands of elements per second, it is copied whenever it fills with removed entries, and each old copy
 * still refers to its elements: this kept a third of all requests in memory until a full garbage collection.
 */
export class LinkedList<T> implements Iterable<T> {
  #first: ListNode<T> | undefined
  #last: ListNode<T> | undefined

  /** The element that was added first. */
  get first(): T | undefined {
    return this.#first?.element
  }

  /** @returns what `remove` takes. */
  add(element: T): ListNode<T> {
    const node = new ListNode(element)
    const last = this.#last
    node.earlier = last
    if (last === undefined) this.#first = node
    else last.later = node
    this.#last = node
    return node
  }

  /** Removes an element. Removing it a second time has no effect. */
  remove(node: ListNode<T>): void {
    const { earlier, later } = node
    if (earlier === undefined && this.#first !== node) return
    if (earlier === undefined) this.#first = later
    else earlier.later = later
    if (later === undefined) this.#last = earlier
    else later.earlier = earlier
    // A removed element references no others.
    node.earlier = undefined
    node.later = undefined
  }

  /** The elements at the start of the iteration; those that the reader removes meanwhile are still returned. */
  [Symbol.iterator](): Iterator<T> {
    const elements: T[] = []
    for (let node = this.#first; node; node = node.later) elements.push(node.element)
    return elements[Symbol.iterator]()
  }
}
