/** An element with links to its neighbors, used only by the list. */
export class ListNode<T> {
  readonly element: T
  earlier: ListNode<T> | undefined = undefined
  later: ListNode<T> | undefined = undefined

  constructor(element: T) {
    this.element = element
  }
}

/**
 * A list in insertion order that removes any element in constant time. A `Set` can do the same, but with thousands of
 * elements per second it is copied whenever it fills with removed entries. Each old copy still references its elements,
 * which kept a third of all requests in memory until a full garbage collection.
 */
export class LinkedList<T> implements Iterable<T> {
  #first: ListNode<T> | undefined
  #last: ListNode<T> | undefined

  /** The element that was added first. */
  get first(): T | undefined {
    return this.#first?.element
  }

  /**
   * Adds an element at the end.
   * @returns the node for `remove`.
   */
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
    // A removed node keeps no reference to other nodes.
    node.earlier = undefined
    node.later = undefined
  }

  /** Iterates over the elements present when the iteration starts, including those that are removed during it. */
  [Symbol.iterator](): Iterator<T> {
    const elements: T[] = []
    for (let node = this.#first; node; node = node.later) elements.push(node.element)
    return elements[Symbol.iterator]()
  }
}
