set terminal postscript eps color enh "Times-BoldItalic"
set output "wifi-manager-example-Ideal-802.11a.eps"
set title "Results for 802.11a with Ideal\n"
set xlabel "SNR (dB)"
set ylabel "Rate (Mb/s)"
set xrange [0:30]
set yrange [0:60]
set key top left
plot "-"  title "802.11a-rate selected" with lines, "-"  title "802.11a-observed" with lines
27 54
26 54
25 54
24 54
23 54
22 54
21 54
20 54
19 48
18 48
17 36
16 36
15 36
14 36
13 24
12 24
11 24
10 18
9 18
8 18
7 18
6 12
5 12
4 9
3 6
e
27 25.1085
26 25.1494
25 25.0921
24 25.0593
23 25.3051
22 25.174
21 25.215
20 25.0511
19 23.6175
18 23.5438
17 20.2179
16 20.1605
15 20.2342
14 20.1441
13 15.7368
12 15.7123
11 15.6631
10 12.714
9 12.6976
8 12.673
7 12.542
6 9.29792
5 9.28973
4 7.20896
3 5.12819
e
