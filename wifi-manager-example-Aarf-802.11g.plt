set terminal postscript eps color enh "Times-BoldItalic"
set output "wifi-manager-example-Aarf-802.11g.eps"
set title "Results for 802.11g with Aarf\n"
set xlabel "SNR (dB)"
set ylabel "Rate (Mb/s)"
set xrange [-6:30]
set yrange [0:60]
set key top left
plot "-"  title "802.11g-rate selected" with lines, "-"  title "802.11g-observed" with lines
27 54
26 54
25 54
24 54
23 54
22 54
21 54
20 54
19 54
18 54
17 36
16 36
15 36
14 36
13 36
12 36
11 24
10 24
9 18
8 18
7 18
6 18
5 12
4 12
3 9
2 6
1 1
0 1
-1 1
-2 1
-3 1
-4 1
-5 1
e
27 12.3535
26 18.9972
25 19.0464
24 19.0054
23 18.8744
22 19.03
21 19.243
20 19.1119
19 18.7269
18 15.6467
17 15.4501
16 14.9012
15 15.6467
14 15.7778
13 15.2044
12 11.8374
11 12.8614
10 12.6239
9 9.94509
8 10.7069
7 10.6168
6 8.0855
5 8.13466
4 7.56941
3 5.67706
2 4.57114
1 2.94912
0 0.53248
-1 0
-2 0
-3 0
-4 0
-5 0
e
