// Local time in a time zone that is not the browser's own. https://tc39.es/ecma262/#sec-local-time-zone-adjustment

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FIELDS = ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'] as const;
/** A date that names its zone, or a date alone in the format of ISO 8601, which is in UTC. */
const ZONED = /(?:Z|UTC?|GMT|[ECMP][SD]T|\d[+-]\d\d:?\d\d|GMT[+-]\d+)\s*(?:\(.*\))?$|^[+-]?\d{4,6}(?:-\d\d){0,2}$/i;

type Shifted = Record<string, (...values: number[]) => number>;

/** The local time of a zone. Its functions get a `Date` as it is, and the browser's own constructors. */
export class LocalTime {
  /** The methods of `Date` that depend on the time zone. */
  static readonly methods: readonly string[] = [
    ...FIELDS.flatMap((field) => (field === 'Day' ? [`get${field}`] : [`get${field}`, `set${field}`])),
    ...['getYear', 'setYear', 'getTimezoneOffset', 'toString', 'toDateString', 'toTimeString'],
  ];
  private readonly format: Intl.DateTimeFormat;
  private readonly names: Intl.DateTimeFormat;
  private readonly offsets = new Map<number, number>();

  /** `realParse` and `browserOffset` are `Date.parse` and `getTimezoneOffset` of the browser's own time zone. */
  constructor(
    zone: string,
    private readonly RealDate: DateConstructor,
    DateTimeFormat: typeof Intl.DateTimeFormat,
    private readonly realParse: (text: string) => number,
    private readonly browserOffset: () => number,
  ) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    const common = { timeZone: zone, hourCycle: 'h23', calendar: 'gregory', numberingSystem: 'latn' } as const;
    this.format = new DateTimeFormat('en-US', { ...common, ...numeric, second: 'numeric', era: 'short' });
    this.names = new DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'long' });
  }

  /** What is added to UTC, in milliseconds, at a time. */
  private offset(time: number): number {
    const quarter = Math.floor(time / (HOUR / 4)); // no zone changes within a quarter of an hour
    const found = this.offsets.get(quarter);
    if (found !== undefined) return found;
    const start = quarter * (HOUR / 4);
    const part: Record<string, string> = {};
    for (const { type, value } of this.format.formatToParts(start)) part[type] = value;
    const year = part['era'] === 'BC' || part['era'] === 'B' ? 1 - Number(part['year']) : Number(part['year']);
    const local = new this.RealDate(0);
    local.setUTCFullYear(year, Number(part['month']) - 1, Number(part['day']));
    local.setUTCHours(Number(part['hour']) % 24, Number(part['minute']), Number(part['second']), 0);
    const offset = local.getTime() - start;
    if (this.offsets.size > 1000) this.offsets.clear();
    this.offsets.set(quarter, offset);
    return offset;
  }

  /** The time at which clocks in the zone show `local`, which is written as if it were UTC. */
  private toUtc(local: number): number {
    if (!Number.isFinite(local)) return NaN;
    const before = local - this.offset(local - 24 * HOUR);
    const after = local - this.offset(local + 24 * HOUR);
    const shows = (time: number): boolean => time + this.offset(time) === local;
    return shows(before) || !shows(after) ? before : after;
  }

  /** The time of year, month, day, hours and so on. */
  at(values: readonly number[]): number {
    return this.toUtc(this.RealDate.UTC(...(values.map(Number) as [number, number])));
  }

  parse(text: string): number {
    const time = this.realParse(text);
    if (!Number.isFinite(time) || ZONED.test(text.trim())) return time;
    const browser = Reflect.apply<Date, [], number>(this.browserOffset, new this.RealDate(time), []);
    return this.toUtc(time - browser * MINUTE);
  }

  /** What a method of `Date` returns in the zone. */
  call(date: Date, method: string, values: number[]): unknown {
    const time = date.getTime();
    if (!Number.isFinite(time) && !method.startsWith('set')) return method.startsWith('to') ? 'Invalid Date' : NaN;
    const offset = Number.isFinite(time) ? this.offset(time) : 0;
    const shifted = new this.RealDate(Number.isFinite(time) ? time + offset : NaN);
    switch (method) {
      case 'getTimezoneOffset':
        return -offset / MINUTE;
      case 'getYear':
        return shifted.getUTCFullYear() - 1900;
      case 'setYear': {
        const year = Math.trunc(Number(values[0]));
        return this.set(date, shifted, 'setUTCFullYear', [year >= 0 && year <= 99 ? 1900 + year : year]);
      }
      case 'toString':
        return `${this.day(shifted)} ${this.clock(date, shifted, offset)}`;
      case 'toDateString':
        return this.day(shifted);
      case 'toTimeString':
        return this.clock(date, shifted, offset);
    }
    const utc = `${method.slice(0, 3)}UTC${method.slice(3)}`;
    if (method.startsWith('set')) return this.set(date, shifted, utc, values);
    return (shifted as unknown as Shifted)[utc]?.();
  }

  private set(date: Date, shifted: Date, method: string, values: number[]): number {
    // An invalid date becomes a valid one by its year alone.
    if (!Number.isFinite(shifted.getTime()) && method === 'setUTCFullYear') shifted.setTime(0);
    (shifted as unknown as Shifted)[method]?.(...values);
    return date.setTime(this.toUtc(shifted.getTime()));
  }

  private day(shifted: Date): string {
    const [weekday, day, month] = shifted.toUTCString().replace(',', '').split(' ');
    const year = shifted.getUTCFullYear();
    const digits = String(Math.abs(year)).padStart(year < 0 ? 6 : 4, '0');
    return `${weekday} ${month} ${day} ${year < 0 ? '-' : ''}${digits}`;
  }

  private clock(date: Date, shifted: Date, offset: number): string {
    const two = (value: number): string => String(Math.trunc(value)).padStart(2, '0');
    const minutes = Math.abs(offset) / MINUTE;
    const zone = `GMT${offset < 0 ? '-' : '+'}${two(minutes / 60)}${two(minutes % 60)}`;
    const name = this.names.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const time = [shifted.getUTCHours(), shifted.getUTCMinutes(), shifted.getUTCSeconds()].map(two).join(':');
    return `${time} ${zone} (${name})`;
  }
}
