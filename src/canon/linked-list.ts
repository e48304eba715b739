/** The position of an element in a list; used by the list only. */
export class Place<T> {
  readonly element: T
  earlier: Place<T> | undefined = undefined
  later: Place<T> | undefined = undefined

  constructor(element: T) {
    this.element = element
  }
}

/**
 * Elements in the order they arrived, each of which can be removed from its place. A `Set` does that too, but
 * when thousands of elements pass through it each second, it is copied whenever it fills with removed entries,
 * and each old copy still holds the elements it had: a third of all requests survived their end because of
 * that, until a full garbage collection.
 */
export class LinkedList<T> implements Iterable<T> {
  #first: Place<T> | undefined
  #last: Place<T> | undefined

  /** The element that was added first. */
  get first(): T | undefined {
    return this.#first?.element
  }

  /** @returns what `remove` takes. */
  add(element: T): Place<T> {
    const place = new Place(element)
    const last = this.#last
    place.earlier = last
    if (last === undefined) this.#first = place
    else last.later = place
    this.#last = place
    return place
  }

  /** Removes an element. Removing it a second time has no effect. */
  remove(place: Place<T>): void {
    const { earlier, later } = place
    if (earlier === undefined && this.#first !== place) return
    if (earlier === undefined) this.#first = later
    else earlier.later = later
    if (later === undefined) this.#last = earlier
    else later.earlier = earlier
    // A removed element references no others.
    place.earlier = undefined
    place.later = undefined
  }

  /** The elements at the start of the iteration; those that the reader removes meanwhile are still returned. */
  [Symbol.iterator](): Iterator<T> {
    const elements: T[] = []
    for (let place = this.#first; place; place = place.later) elements.push(place.element)
    return elements[Symbol.iterator]()
  }
}
