// What the application of a page holds: the truth that the benchmark compares answers with.

export const held = { plan: null, city: null, tags: [], start: null, news: null, seats: null, note: null, deleted: null };
export const PLANS = ['Basic', 'Pro', 'Team'];
export const CITIES = [
  'Athens', 'Bergen', 'Bern', 'Cork', 'Dublin', 'Essen', 'Faro', 'Ghent', 'Graz', 'Hamburg', 'Izmir', 'Kyiv', 'Lima',
  'Linz', 'Lyon', 'Malmö', 'Nantes', 'Oslo', 'Oxford', 'Paris', 'Porto', 'Riga', 'Rome', 'Seville', 'Split', 'Tartu',
  'Turin', 'Turku', 'Ulm', 'Vienna', 'Vilnius', 'Warsaw', 'York', 'Zagreb', 'Zurich',
];
export const TAGS = ['sea', 'music', 'wood', 'city', 'snow'];
export const ROWS = ['1001', '1002', '1003'];

/** A date as `YYYY-MM-DD` in the page's own time zone; null for none. */
export function day(date) {
  if (!date || Number.isNaN(+date)) return null;
  const two = (number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

window.held = held;
