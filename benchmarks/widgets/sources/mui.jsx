import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogContent, DialogTitle, FormControl, FormControlLabel,
  InputLabel, MenuItem, Select, Slider, Switch, Table, TableBody, TableCell, TableRow, TextField,
} from '@mui/material';
import { LocalizationProvider } from '@mui/x-date-pickers/LocalizationProvider';
import { AdapterDayjs } from '@mui/x-date-pickers/AdapterDayjs';
import { DatePicker } from '@mui/x-date-pickers/DatePicker';
import { CITIES, held, PLANS, ROWS, TAGS } from './record.js';

function Page() {
  const [plan, setPlan] = useState('Basic');
  const [isOpen, setOpen] = useState(false);
  const [note, setNote] = useState('');
  const [rows, setRows] = useState(ROWS);
  return (
    <LocalizationProvider dateAdapter={AdapterDayjs}>
      <FormControl sx={{ width: 200 }}>
        <InputLabel id="plan-label">Plan</InputLabel>
        <Select
          labelId="plan-label" label="Plan" value={plan}
          onChange={(event) => { setPlan(event.target.value); held.plan = event.target.value; }}
        >
          {PLANS.map((text) => <MenuItem key={text} value={text}>{text}</MenuItem>)}
        </Select>
      </FormControl>
      <Autocomplete
        options={CITIES} onChange={(_, value) => (held.city = value)}
        renderInput={(properties) => <TextField {...properties} label="City" />}
      />
      <Autocomplete
        multiple options={TAGS} onChange={(_, values) => (held.tags = values)}
        renderInput={(properties) => <TextField {...properties} label="Tags" />}
      />
      <DatePicker label="Start" onChange={(date) => (held.start = date?.isValid() ? date.format('YYYY-MM-DD') : null)} />
      <FormControlLabel control={<Checkbox onChange={(_, value) => (held.news = value)} />} label="News" />
      <FormControlLabel control={<Switch onChange={(_, value) => (held.alerts = value)} />} label="Alerts" />
      <Slider aria-label="Seats" min={0} max={20} onChange={(_, value) => (held.seats = value)} />
      <Button onClick={() => setOpen(true)}>Add a note</Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)}>
        <DialogTitle>New note</DialogTitle>
        <DialogContent>
          <TextField label="Note" value={note} onChange={(event) => setNote(event.target.value)} />
        </DialogContent>
        <DialogActions>
          <Button onClick={() => { held.note = note; setOpen(false); }}>OK</Button>
        </DialogActions>
      </Dialog>
      <Table>
        <TableBody>
          {rows.map((id) => (
            <TableRow key={id}>
              <TableCell>{id}</TableCell>
              <TableCell>
                <Button onClick={() => { held.deleted = id; setRows(rows.filter((row) => row !== id)); }}>Delete</Button>
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </LocalizationProvider>
  );
}

createRoot(document.getElementById('root')).render(<Page />);
