// Overrides the position that a page gets. Runs in the page's own world, before its scripts, and at once in a page that
// is loaded already. The proxies look like the functions that they replace. Permissions policy applies.

interface Place {
  latitude: number;
  longitude: number;
  accuracy: number;
}
type Callback = (position: unknown) => void;
type Permitting = Record<string, (...values: unknown[]) => Promise<object>>;

/** `key` addresses an override that is installed already; `initial` is null to remove it. */
export default function overrideGeolocation(key: string, initial: Place | null): void {
  if (typeof Geolocation === 'undefined' || !isSecureContext) return;
  const real = Geolocation.prototype as unknown as Record<string, (...values: unknown[]) => unknown>;
  // WebKit 2.38 has no permissions.
  const permissions = (typeof Permissions === 'undefined' ? {} : Permissions.prototype) as Permitting;
  const { query } = permissions;
  try {
    if (real['getCurrentPosition']?.call(navigator.geolocation, key, initial) === key) return;
  } catch {
    // there is no override yet
  }
  if (!initial) return;
  let place: Place | null = initial;
  const watching = new Map<number, Callback>();
  let next = 1e9;
  const deliver = (callback: Callback): unknown => setTimeout(() => place && callback(positionAt(place)));
  const isOverridden = (callback: unknown): callback is Callback =>
    place !== null && typeof callback === 'function' && isAllowed();
  replace(real, 'getCurrentPosition', ([first, second]) => {
    if (first === key) {
      place = second as Place | null;
      if (place) for (const callback of watching.values()) deliver(callback);
      return { value: key };
    }
    if (!isOverridden(first)) return null;
    deliver(first);
    return { value: undefined };
  });
  replace(real, 'watchPosition', ([callback]) => {
    if (!isOverridden(callback)) return null;
    const id = next++;
    watching.set(id, callback);
    deliver(callback);
    return { value: id };
  });
  replace(real, 'clearWatch', ([id]) => (watching.delete(id as number) ? { value: undefined } : null));
  replace(permissions, 'query', ([descriptor]) => {
    const { name } = (descriptor ?? {}) as { name?: unknown };
    if (!place || !query || name !== 'geolocation' || !isAllowed()) return null;
    const granted = (status: object): object => Object.defineProperty(status, 'state', { value: 'granted' });
    return { value: query.call(navigator.permissions, descriptor).then(granted) };
  });
}

const isAllowed = (): boolean =>
  (document as { featurePolicy?: { allowsFeature(name: string): boolean } }).featurePolicy?.allowsFeature(
    'geolocation',
  ) ?? true;

function positionAt(place: Place): unknown {
  const none = { altitude: null, altitudeAccuracy: null, heading: null, speed: null };
  const coords = create(GeolocationCoordinates, { ...place, ...none });
  return create(GeolocationPosition, { coords, timestamp: Date.now() });
}

/** An object of a class of the browser with these values. */
function create(kind: { prototype: object }, values: Record<string, unknown>): object {
  const facts = Object.entries({ ...values, toJSON: () => values });
  return Object.create(kind.prototype, Object.fromEntries(facts.map(([name, value]) => [name, { value }]))) as object;
}

/** Replace a method; what `answer` returns null for goes to the browser's own. */
function replace(
  owner: Record<string, (...values: unknown[]) => unknown>,
  name: string,
  answer: (values: unknown[]) => { value: unknown } | null,
): void {
  const own = owner[name];
  if (!own) return;
  owner[name] = new Proxy(own, {
    apply(target, self, values: unknown[]) {
      const found = answer(values);
      return found ? found.value : Reflect.apply(target, self, values);
    },
  });
}
