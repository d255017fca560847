import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import Select from 'react-select';
import AsyncSelect from 'react-select/async';
import DatePicker from 'react-datepicker';
import 'react-datepicker/dist/react-datepicker.css';
import { CITIES, day, held, PLANS, TAGS } from './record.js';

const options = (texts) => texts.map((text) => ({ value: text.toLowerCase(), label: text }));
const search = (typed) =>
  new Promise((done) =>
    setTimeout(() => done(options(CITIES.filter((text) => text.toLowerCase().includes(typed.toLowerCase())))), 600),
  );

function Page() {
  const [start, setStart] = useState(null);
  return (
    <>
      <label htmlFor="plan">Plan</label>
      <Select inputId="plan" options={options(PLANS)} defaultValue={options(PLANS)[0]} onChange={(option) => (held.plan = option.label)} />
      <label htmlFor="city">City</label>
      <AsyncSelect inputId="city" loadOptions={search} onChange={(option) => (held.city = option.label)} />
      <label htmlFor="tags">Tags</label>
      <Select inputId="tags" isMulti options={options(TAGS)} onChange={(chosen) => (held.tags = chosen.map(({ label }) => label))} />
      <label htmlFor="start">Start</label>
      <DatePicker id="start" selected={start} onChange={(date) => { setStart(date); held.start = day(date); }} />
    </>
  );
}

createRoot(document.getElementById('root')).render(<Page />);
