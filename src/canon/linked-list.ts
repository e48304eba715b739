/** Where an element stands in a list; the list's own. */
export class Place<T> {
  readonly element: T
  earlier: Place<T> | undefined = undefined
  later: Place<T> | undefined = undefined

  constructor(element: T) {
    this.element = element
  }
}

/**
 * Elements in the order they came, each of which leaves from where it stands. A `Set` does that too, but one
 * through which thousands pass a second is copied again and again as it fills with what has left, and each of its
 * old copies keeps the elements it had: a third of all requests outlived their end by that, until the collector
 * looked through everything.
 */
export class LinkedList<T> implements Iterable<T> {
  #first: Place<T> | undefined
  #last: Place<T> | undefined

  /** The element that has been there for longest. */
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

  /** Takes an element out. One that has left already stays out. */
  remove(place: Place<T>): void {
    const { earlier, later } = place
    if (earlier === undefined && this.#first !== place) return
    if (earlier === undefined) this.#first = later
    else earlier.later = later
    if (later === undefined) this.#last = earlier
    else later.earlier = earlier
    // What has left holds on to no one.
    place.earlier = undefined
    place.later = undefined
  }

  /** Those that are there when it begins; what the reader takes out meanwhile is still given. */
  [Symbol.iterator](): Iterator<T> {
    const elements: T[] = []
    for (let place = this.#first; place; place = place.later) elements.push(place.element)
    return elements[Symbol.iterator]()
  }
}
